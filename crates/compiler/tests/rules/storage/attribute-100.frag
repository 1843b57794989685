// ES 1.00, 4.3.3: Attributes belong to vertex shaders.
#version 100
precision mediump float;
attribute vec4 a; //~ error: a fragment shader has no attributes

void main() {
    gl_FragColor = vec4(1.0);
}
