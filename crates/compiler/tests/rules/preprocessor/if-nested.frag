// GLSL 3.30, 3.3: Conditions nest, within groups that are left out too.
// value: 5 0 0 1
#version 330
out vec4 color;
#define X
#ifdef X
  #ifndef Y
    #if 0
      #if 1
        #define A 1.0
      #else
        #define A 2.0
      #endif
    #elif 1
      #define A 5.0
    #else
      #define A 3.0
    #endif
  #endif
#else
  #define A 4.0
#endif

void main() {
    color = vec4(A, 0.0, 0.0, 1.0);
}
