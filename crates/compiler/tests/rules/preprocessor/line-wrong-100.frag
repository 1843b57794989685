// ES 1.00, 3.4: `#line` takes one or two integers.
#version 100
precision mediump float;
#line //~ error: expected the number of a line after `#line`
#line a //~ error: `a` is not a macro
#line 1.0 //~ error: `1.0` is no whole number
#line 1 2 3 //~ error: expected the number of a line after `#line`
#line 10 "name" //~ error: unexpected `"`

void main() {
    gl_FragColor = vec4(1.0);
}
