#version 300 es
// ES 3.00, 9: The grammar has no layout after `invariant`.
precision highp float;
invariant layout(location = 0) out vec4 color; //~ error: in GLSL ES 3.00 `layout` does not follow `invariant`

void main() {
    color = vec4(1.0);
}
