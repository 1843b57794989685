// ES 1.00, 3.4: `#line` takes one or two integers.
#version 100
precision mediump float;
#line //~ error
#line a //~ error
#line 1.0 //~ error
#line 1 2 3 //~ error
#line 10 "name" //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
