"""Runs a command in a pseudo-terminal: in_terminal.py COLUMNS ROWS WHAT COMMAND... Prints what the command writes to it, and its exit code.

WHAT is "read", "interrupt=TEXT", which presses Ctrl-C after TEXT, or "lose=TEXT", which closes the terminal after TEXT: the
command has no controlling terminal then, so that no SIGHUP ends it. Its standard error is that of this program then.
"""
import fcntl, os, pty, struct, subprocess, sys, termios

columns, rows, what, *command = sys.argv[1:]
action, _, text = what.partition("=")
main, other = pty.openpty()
fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))


def lead():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


if action == "lose":
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=other, start_new_session=True)
else:
    child = subprocess.Popen(command, stdin=other, stdout=other, stderr=other, preexec_fn=lead)
os.close(other)
seen = b""
while True:
    try:
        part = os.read(main, 65536)
    except OSError:
        break
    if not part:
        break
    seen += part
    if text and text.encode() in seen:
        if action == "lose":
            break
        os.write(main, b"\x03")
        text = ""
os.close(main)
code = child.wait()
sys.stdout.buffer.write(seen)
sys.exit(code if code >= 0 else 128 - code)
