// GLSL, 1.10: Without `#version` inputs and outputs of later versions are a warning.
// value: 1 0 0 1
in vec2 uv; //~ warning: GLSL 1.10 has no `in` here; write `varying` for an input, and `gl_FragColor` for the output; without `#version` the source is read as GLSL 1.10
out vec4 color; //~ warning: GLSL 1.10 has no `out` here; write `varying` for an input, and `gl_FragColor` for the output; without `#version` the source is read as GLSL 1.10
void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
