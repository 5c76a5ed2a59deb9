"""A real headless Chromium for the tests of the site."""

import base64
import json
import time
from pathlib import Path
from typing import Any, cast

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--disable-dev-shm-usage",
)  # fmt: skip
PATIENCE_S = 20


class Browser:
    """What a test asks of a browser."""

    def __init__(self, binary: str, chromedriver: str, profile: Path) -> None:
        options = Options()
        options.binary_location = binary
        for flag in (*FLAGS, f"--user-data-dir={profile}", "--window-size=1280,1000"):
            options.add_argument(flag)  # pyright: ignore[reportUnknownMemberType]
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self._driver: Any = webdriver.Chrome(options=options, service=Service(chromedriver))

    def close(self) -> None:
        self._driver.quit()

    def emulate(self, *, width: int = 1280, dark: bool = False, scripts: bool = True) -> None:
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600}
        self._do("Emulation.setDeviceMetricsOverride", size)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._do("Emulation.setEmulatedMedia", {"features": [theme]})
        self._do("Emulation.setScriptExecutionDisabled", {"value": not scripts})

    def open(self, address: str) -> None:
        """Load a page; what was logged before is forgotten."""
        self._driver.get_log("browser")
        self._driver.get_log("performance")
        self._driver.get(address)

    def run(self, script: str, *arguments: Any) -> Any:
        return self._driver.execute_script(script, *arguments)

    def run_async(self, script: str) -> Any:
        self._driver.set_script_timeout(60)
        return self._driver.execute_async_script(script)

    def wait(self, script: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not self.run(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.02)

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self._driver).send_keys(key).perform()

    def complaints(self) -> list[str]:
        """What the console says: errors, and what the policy forbade."""
        return [entry["message"] for entry in self._driver.get_log("browser")]

    def strangers(self, home: str) -> list[str]:
        """Requests since the page was opened that went elsewhere."""
        events = [json.loads(entry["message"])["message"] for entry in self._driver.get_log("performance")]
        asked = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        # The first tab is Chromium's own: the pictures of its page may be asked for while ours is loading.
        ours = [sent["request"]["url"] for sent in asked if not sent["documentURL"].startswith("chrome:")]
        return [url for url in ours if not url.startswith((home, "chrome:"))]

    def picture(self, file: Path) -> None:
        """The whole page."""
        size = cast(dict[str, float], self.run(
            "const e = document.documentElement; return {width: innerWidth, height: Math.min(e.scrollHeight, 6000)}"
        ))  # fmt: skip
        clip = {"x": 0, "y": 0, "scale": 1, **size}
        data = self._do("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})["data"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(data))

    def _do(self, command: str, parameters: dict[str, Any]) -> Any:
        return self._driver.execute_cdp_cmd(command, parameters)
