#version 300 es
// ES 3.00, 9: A `}` closes a `{`.
precision highp float;
out vec4 color;
void main() {
    color = vec4(1.0);
}
} //~ error: this `}` closes no `{`
