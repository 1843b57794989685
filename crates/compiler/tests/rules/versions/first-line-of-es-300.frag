// ES 3.00, 3.3: `#version 300 es` is in the first line; WebGL refuses a shader where comments come before it,
// drivers do not.
// value: 1 0 0 1
#version 300 es //~ warning: in GLSL ES 3.00 `#version` must begin the source; others refuse comments and lines before it
precision highp float;
out vec4 color;
void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
