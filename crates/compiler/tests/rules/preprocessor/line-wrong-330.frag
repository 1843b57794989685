// GLSL 3.30, 3.3: `#line` takes one or two integers.
#version 330
out vec4 color;
#line //~ error: expected the number of a line after `#line`
#line 1.0 //~ error: `1.0` is no whole number
#line 1 2 3 //~ error: expected the number of a line after `#line`
#line 10 "name" //~ error: unexpected `"`

void main() {
    color = vec4(1.0);
}
