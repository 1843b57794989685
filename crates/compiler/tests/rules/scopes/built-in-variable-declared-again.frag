#version 300 es
// ES 3.00, 3.8: A built-in variable is not declared again.
precision highp float;
out vec4 color;
float gl_FragCoord; //~ error: `gl_FragCoord` has another qualifier

void main() {
    vec4 gl_PointCoord = vec4(1.0); //~ error: the name `gl_PointCoord` begins with `gl_`
}
