// ES 1.00, 4.1.7: A sampler is a uniform or a parameter.
#version 100
precision mediump float;
varying sampler2D v; //~ error: the sampler `v` is not a uniform

void main() {
    gl_FragColor = vec4(1.0);
}
