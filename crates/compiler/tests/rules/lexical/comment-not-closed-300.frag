#version 300 es
// ES 3.00, 3.5: A comment that begins with `/*` must end.
// error on line 8
precision highp float;
out vec4 color;
void main() {
    color = vec4(1.0);
    /* no end
}
