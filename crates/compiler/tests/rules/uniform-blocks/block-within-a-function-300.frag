#version 300 es
// ES 3.00, 4.3.7: A block is declared at global scope.
precision highp float;
out vec4 color;
void main() {
    uniform Block { //~ error: a block is only allowed at global scope
        vec4 a;
    };
    color = vec4(1.0);
}
