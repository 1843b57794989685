// GLSL 1.20, 3.4: A comment between `/*` and `*/` may go over several lines and counts as one space.
// value: 1 2 3 4
#version 120
/* one
   two } { #error three
*/
void main()/**/{
    gl_FragColor/***/=/* // */vec4(1.0, 2.0, /* 9.0, */ 3.0, 4.0);
}
