// ES 1.00, 9: A semicolon alone is an empty statement.
// value: 1 0 0 1
#version 100
precision mediump float;
void main() {
    ;;
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);;
}
