#version 300 es
// ES 3.00, 3.4: `#line` takes one or two integers.
precision highp float;
out vec4 color;
#line //~ error
#line a //~ error
#line 1.0 //~ error
#line 1 2 3 //~ error
#line 10 "name" //~ error

void main() {
    color = vec4(1.0);
}
