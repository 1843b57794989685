#version 300 es
// ES 3.00, 9: `let`, `var` and `fn` are words of WGSL.
precision highp float;
out vec4 color;
void main() {
    let a = 1.0; //~ error: there is no type `let`
    var b = 2.0; //~ error: there is no type `var`
}
