// The few things that need a script: the theme, the commit switcher, the jump box and sorting.
(function () {
  "use strict";
  var html = document.documentElement;
  var stored = null;
  try { stored = localStorage.getItem("toolgrade-theme"); } catch (error) { stored = null; }
  if (stored === "light" || stored === "dark") html.setAttribute("data-theme", stored);

  function make(tag, text, kind) {
    var node = document.createElement(tag);
    if (text) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  }

  function grade(letter) {
    var isLetter = /^[ABCDF]$/.test(letter);
    var word = { passed: "✓", failed: "✗", error: "!" }[letter] || "–";
    var kind = { passed: "g-ok", failed: "g-bad", error: "g-bad" }[letter] || "g-none";
    return make("span", isLetter ? letter : word, "gr " + (isLetter ? "g-" + letter : kind));
  }

  function setUpTheme() {
    var button = document.querySelector(".thm");
    button.hidden = false;
    button.addEventListener("click", function () {
      var system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      var next = (html.getAttribute("data-theme") || system) === "dark" ? "light" : "dark";
      html.setAttribute("data-theme", next);
      try { localStorage.setItem("toolgrade-theme", next); } catch (error) { /* private windows */ }
    });
  }

  function setUpSwitcher() {
    var commits = window.toolgradeCommits || [];
    if (!commits.length) return;
    var root = html.dataset.root, here = html.dataset.sha, list = document.querySelector(".sw ul");
    var all = list.firstElementChild;
    var path = location.pathname.split("/c/" + here + "/")[1] || "index.html";
    commits.slice(0, 12).forEach(function (commit) {
      var item = make("li"), link = make("a");
      link.href = root + "c/" + commit.sha + "/index.html";
      if (commit.sha === here) link.setAttribute("aria-current", "true");
      link.appendChild(grade(commit.grade));
      link.appendChild(make("code", commit.short));
      link.appendChild(make("span", commit.subject));
      item.appendChild(link);
      list.insertBefore(item, all);
    });
    var latest = commits[0];
    if (here === latest.sha) { document.querySelector(".sw .tagl").textContent = "latest"; return; }
    var old = document.querySelector(".old"), link = make("a", latest.short);
    old.appendChild(document.createTextNode("You are reading an older commit. The latest is "));
    link.href = root + "c/" + latest.sha + "/index.html";
    link.title = path === "index.html" ? latest.subject : latest.subject + " (overview)";
    old.appendChild(link);
    old.appendChild(document.createTextNode("."));
    old.hidden = false;
  }

  function setUpMenus() {
    var menu = document.querySelector(".sw");
    document.addEventListener("click", function (event) {
      if (menu.open && !menu.contains(event.target)) menu.open = false;
    });
    document.addEventListener("keydown", function (event) {
      if (event.key === "Escape" && menu.open) { menu.open = false; menu.firstElementChild.focus(); }
    });
    var rail = document.querySelector(".rail details");
    if (rail && matchMedia("(max-width: 900px)").matches) rail.open = false;
  }

  function setUpJump() {
    var button = document.querySelector(".jmp"), dialog = null, input = null, list = null, at = 0;
    if (!html.dataset.sha || !window.HTMLDialogElement) return;
    button.hidden = false;

    function links() { return list.querySelectorAll("li"); }
    function mark(next) {
      var rows = links();
      if (!rows.length) return;
      at = (next + rows.length) % rows.length;
      rows.forEach(function (row, index) { row.setAttribute("aria-selected", String(index === at)); });
      input.setAttribute("aria-activedescendant", rows[at].id);
      rows[at].scrollIntoView({ block: "nearest" });
    }
    function show() {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      list.textContent = "";
      var found = (window.toolgradeTests || []).filter(function (row) {
        var text = (row[0] + " " + row[1] + " " + row[2]).toLowerCase();
        return words.every(function (word) { return text.indexOf(word) >= 0; });
      });
      found.slice(0, 40).forEach(function (row, index) {
        var item = make("li"), link = make("a"), text = make("span");
        item.id = "jump-" + index;
        item.setAttribute("role", "option");
        link.href = html.dataset.here + row[3];
        link.tabIndex = -1;
        text.appendChild(make("b", row[0]));
        text.appendChild(make("small", row[1] ? row[2] + ", " + row[1] : row[2]));
        link.appendChild(grade(row[4]));
        link.appendChild(text);
        item.appendChild(link);
        list.appendChild(item);
      });
      if (!found.length) list.appendChild(make("li", "No test has that in its name.", "none"));
      mark(0);
    }
    function build() {
      dialog = make("dialog", "", "jd");
      dialog.setAttribute("aria-label", "Jump to a test");
      input = make("input");
      input.type = "search";
      input.placeholder = "Name of a test, suite or model";
      input.setAttribute("aria-label", "Name of a test, suite or model");
      input.setAttribute("role", "combobox");
      input.setAttribute("aria-expanded", "true");
      input.setAttribute("aria-controls", "jump-list");
      list = make("ul");
      list.id = "jump-list";
      list.setAttribute("role", "listbox");
      list.setAttribute("aria-label", "Tests");
      dialog.appendChild(input);
      dialog.appendChild(list);
      document.body.appendChild(dialog);
      input.addEventListener("input", show);
      dialog.addEventListener("click", function (event) { if (event.target === dialog) dialog.close(); });
      dialog.addEventListener("keydown", function (event) {
        if (event.key === "ArrowDown") { mark(at + 1); event.preventDefault(); }
        else if (event.key === "ArrowUp") { mark(at - 1); event.preventDefault(); }
        else if (event.key === "Enter") {
          var link = links()[at] && links()[at].querySelector("a");
          if (link) { event.preventDefault(); dialog.close(); link.click(); }
        }
      });
      var data = make("script");
      data.src = html.dataset.here + "tests.js";
      data.addEventListener("load", show);
      document.head.appendChild(data);
    }
    function open() {
      if (!dialog) build();
      if (!dialog.open) dialog.showModal();
      input.select();
      show();
    }
    button.addEventListener("click", open);
    document.addEventListener("keydown", function (event) {
      var isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName || "");
      if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        open();
      }
    });
  }

  function value(row, column) {
    var cell = row.cells[column], text = cell.dataset.v || cell.textContent.trim();
    var number = parseFloat(text.replace(/[,+]/g, "").replace("−", "-"));
    return isNaN(number) ? text.toLowerCase() : number;
  }

  function setUpSorting() {
    document.querySelectorAll("table.srt").forEach(function (table) {
      table.querySelectorAll("th[data-s]").forEach(function (head) {
        var button = make("button", head.textContent, "sort");
        button.type = "button";
        head.textContent = "";
        head.appendChild(button);
        button.addEventListener("click", function () {
          var isUp = head.getAttribute("aria-sort") === "descending";
          var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
          table.querySelectorAll("th[aria-sort]").forEach(function (other) { other.removeAttribute("aria-sort"); });
          head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
          rows.sort(function (one, other) {
            var a = value(one, head.cellIndex), b = value(other, head.cellIndex);
            if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
            return (a < b ? -1 : a > b ? 1 : 0) * (isUp ? 1 : -1);
          });
          rows.forEach(function (row) { body.appendChild(row); });
        });
      });
    });
  }

  document.addEventListener("DOMContentLoaded", function () {
    setUpTheme();
    setUpSwitcher();
    setUpMenus();
    setUpJump();
    setUpSorting();
  });
})();
