#version 300 es
// ES 3.00, 3.4: `#line` takes one or two integers.
precision highp float;
out vec4 color;
#line //~ error: expected the number of a line after `#line`
#line a //~ error: `a` is not a macro
#line 1.0 //~ error: `1.0` is no whole number
#line 1 2 3 //~ error: expected the number of a line after `#line`
#line 10 "name" //~ error: unexpected `"`

void main() {
    color = vec4(1.0);
}
