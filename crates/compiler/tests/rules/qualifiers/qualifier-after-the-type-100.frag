// ES 1.00, 4.7: Qualifiers come before the type.
#version 100
precision mediump float;
float uniform a; //~ error: expected the name of a variable, found the keyword `uniform`
float const b = 1.0; //~ error: expected the name of a variable, found the keyword `const`
vec4 varying c; //~ error: expected the name of a variable, found the keyword `varying`

void main() {
    gl_FragColor = vec4(1.0);
}
