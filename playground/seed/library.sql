CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL, author TEXT NOT NULL, year INTEGER NOT NULL);
CREATE TABLE members (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE loans (book INTEGER NOT NULL REFERENCES books, member INTEGER NOT NULL REFERENCES members, due TEXT NOT NULL);
INSERT INTO books VALUES
  (1, 'Moby-Dick', 'Herman Melville', 1851),
  (2, 'The Old Man and the Sea', 'Ernest Hemingway', 1952),
  (3, 'To the Lighthouse', 'Virginia Woolf', 1927),
  (4, 'Typhoon', 'Joseph Conrad', 1902);
INSERT INTO members VALUES (1, 'Ada Keeper'), (2, 'Bo Pilot');
INSERT INTO loans VALUES (1, 2, '2024-03-15'), (3, 1, '2024-03-20');
