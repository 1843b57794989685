#!/usr/bin/env python3
"""Makes the pictures of the README: the screen of `ctm debug`, a page of `ctm profile`, the plot of `ctm bench`,
and the playground.

Needs pyte and pillow (pip), Chromium, the command, and what a test of the playground sees:

    cargo build --release && web/build.sh
    CTM_SCREENSHOTS=FOLDER cargo test --test playground -- --ignored wide_and_narrow
    python3 docs/pictures/make.py target/release/ctm FOLDER
"""

import fcntl
import html
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

import pyte
from PIL import Image

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
COLUMNS, ROWS = 112, 34
COLOURS = {
    "default": "#d8dee9", "black": "#3b4252", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b",
    "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#eceff4",
}


def screen(command, keys):
    """What a terminal shows after these keys: a list of lines of cells."""
    shown = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(shown)
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", NO_COLOR="")
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def read(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    stream.feed(os.read(terminal, 1 << 16))
                except OSError:
                    return

    read(4)
    for key in keys:
        os.write(terminal, key.encode())
        read(1.5)
    lines = [[shown.buffer[row][column] for column in range(COLUMNS)] for row in range(ROWS)]
    os.write(terminal, b"q")
    os.close(terminal)
    os.waitpid(child, 0)
    return lines


def colour(name):
    return COLOURS.get(name.removeprefix("bright"), f"#{name}")


def page(lines):
    """The lines as a page."""
    text = ""
    for line in lines:
        for cell in line:
            front, back = colour(cell.fg), "" if cell.bg == "default" else colour(cell.bg)
            if cell.reverse:
                front, back = "#1e2127", front
            style = f"color:{front}" + (f";background:{back}" if back else "")
            style += ";font-weight:bold" if cell.bold else ""
            text += f'<span style="{style}">{html.escape(cell.data)}</span>'
        text += "\n"
    return (
        '<meta charset="utf-8"><body style="margin:0;background:#1e2127"><pre style="margin:12px;'
        f'font:14px/18px DejaVu Sans Mono,monospace">{text}</pre>'
    )


def picture(source, name, size):
    subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         f"--window-size={size[0]},{size[1]}", f"--screenshot={HERE / name}", source.as_uri()],
        check=True, stderr=subprocess.DEVNULL,
    )


def main():
    ctm = str(pathlib.Path(sys.argv[1]).resolve())
    shots = pathlib.Path(sys.argv[2]).resolve()
    # 256 colours: a third of the bytes.
    shot = Image.open(shots / "1280-light-step.png").convert("RGB").quantize(256, dither=Image.Dither.NONE)
    shot.save(HERE / "playground.png", optimize=True)
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # A point at an edge: source, instructions, registers, its group, the picture so far, and where a value came from.
        job = "kernels/jacobi/jacobi.toml"
        keys = [":pass 0 60\r", "\x1b", ":point 76,84\r", "\x1b", *"ssssss", ":why r3.a\r", "\x1b"]
        lines = screen([ctm, "debug", job], keys)
        (folder / "debug.html").write_text(page(lines))
        picture(folder / "debug.html", "debug.png", (COLUMNS * 8 + 100, ROWS * 18 + 24))
        subprocess.run(
            [ctm, "profile", "kernels/mandelbrot/mandelbrot_96.toml", "--html", folder / "profile.html"],
            check=True, stdout=subprocess.DEVNULL,
        )
        picture(folder / "profile.html", "profile.png", (1560, 2600))
        # From the heat map to the slowest lines.
        page_shot = Image.open(HERE / "profile.png").convert("RGB").crop((0, 930, 1560, 2200))
        page_shot.quantize(256, dither=Image.Dither.NONE).save(HERE / "profile.png", optimize=True)
        kernels = ["mad", "dp4-chain", "transcendental-chain", "divergent-loop", "fetch-tiled", "copy-linear",
                   "mandelbrot", "matmul", "nbody", "jacobi", "sobel"]
        subprocess.run(
            [ctm, "bench", *kernels, "--engine", "reference,block", "--html", folder / "speed.html"],
            check=True, stdout=subprocess.DEVNULL,
        )
        plot = re.search("<svg.*?</svg>", (folder / "speed.html").read_text(), re.DOTALL)
        (HERE / "speed.svg").write_text(plot[0] + "\n")


main()
