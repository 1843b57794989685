// GLSL 3.30, 4.6.1: Only what goes between shaders is invariant.
#version 330
out vec4 color;
invariant uniform float a; //~ error: `invariant` is only allowed on inputs and outputs
invariant float b; //~ error: `invariant` is only allowed on inputs and outputs
invariant const float c = 1.0; //~ error: `invariant` is only allowed on inputs and outputs

void main() {
    color = vec4(1.0);
}
