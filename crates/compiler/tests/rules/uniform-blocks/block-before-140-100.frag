// ES 1.00, 4.3: There are no uniform blocks.
#version 100
precision mediump float;
uniform Block { //~ error: GLSL ES 1.00 has no blocks
    vec4 a;
};

void main() {
    gl_FragColor = vec4(1.0);
}
