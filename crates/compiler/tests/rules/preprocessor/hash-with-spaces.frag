// ES 1.00, 3.4: Spaces and tabs may come before `#` and after it.
// value: 2 0 0 1
#version 100
precision mediump float;
   #   define A 2.0
	#	ifdef	A
#define B A
 # endif

void main() {
    gl_FragColor = vec4(B, 0.0, 0.0, 1.0);
}
