// ES 1.00, 9: Between functions there are declarations only.
#version 100
precision mediump float;
1.0; //~ error: expected a type, found `1.0`
+ //~ error: expected a type, found `+`

void main() {
    gl_FragColor = vec4(1.0);
}
