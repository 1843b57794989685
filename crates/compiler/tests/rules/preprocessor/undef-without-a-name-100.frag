// ES 1.00, 3.4: `#undef` takes one name.
#version 100
precision mediump float;
#undef //~ error
#undef 1 //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
