// ES 1.00, 4.2.6: A built-in variable is not declared again.
#version 100
precision mediump float;
float gl_FragCoord; //~ error

void main() {
    vec4 gl_PointCoord = vec4(1.0); //~ error
}
