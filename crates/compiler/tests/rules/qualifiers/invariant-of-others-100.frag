// ES 1.00, 4.6.1: Only what goes between shaders is invariant.
#version 100
precision mediump float;
invariant uniform float a; //~ error: `invariant` is only allowed on inputs and outputs
invariant float b; //~ error: `invariant` is only allowed on inputs and outputs
invariant const float c = 1.0; //~ error: `invariant` is only allowed on inputs and outputs

void main() {
    gl_FragColor = vec4(1.0);
}
