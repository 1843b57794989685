// ES 1.00, 3.4: `#undef` takes one name.
#version 100
precision mediump float;
#undef //~ error: expected the name of a macro
#undef 1 //~ error: expected the name of a macro, found `1`

void main() {
    gl_FragColor = vec4(1.0);
}
