// GLSL 3.30, 3.3: `#line` takes one or two integers.
#version 330
out vec4 color;
#line //~ error
#line 1.0 //~ error
#line 1 2 3 //~ error
#line 10 "name" //~ error

void main() {
    color = vec4(1.0);
}
