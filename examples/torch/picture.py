"""Curves as an SVG file."""

WIDTH, HEIGHT, LEFT, TOP = 640, 320, 50, 40
COLOURS = ("#1b6ca8", "#c8553d", "#5b8c5a")


def text(x, y, words, anchor="middle", colour="#333"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def draw(file, title, curves):
    """`curves`: points (x, y) by name, x from 0 up, y from 0 to 1."""
    end = max(x for points in curves.values() for x, _ in points)
    across = lambda x: LEFT + x / end * (WIDTH - 2 * LEFT)  # noqa: E731
    up = lambda y: HEIGHT - TOP - y * (HEIGHT - 2 * TOP)  # noqa: E731
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             f'font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', text(WIDTH / 2, 22, title)]
    for tick in range(6):
        parts.append(text(LEFT - 6, up(tick / 5) + 4, f"{tick / 5:g}", "end"))
        parts.append(f'<path d="M{LEFT} {up(tick / 5):.1f}H{WIDTH - LEFT}" stroke="#ddd"/>')
        parts.append(text(across(end * tick / 5), HEIGHT - TOP + 18, f"{end * tick / 5:.2g}"))
    for number, (name, points) in enumerate(curves.items()):
        line = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[number]}" stroke-width="2"/>')
        parts.append(text(WIDTH - LEFT - 8, HEIGHT - TOP - 12 - 16 * number, name, "end", COLOURS[number]))
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join(parts) + "\n</svg>\n")
