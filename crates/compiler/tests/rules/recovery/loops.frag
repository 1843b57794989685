// GLSL 3.30, 6.3: A mistake in the head of a loop hides none in its body.
#version 330
out vec4 color;
void main() {
    for (int i = 0.0; i < 3; i++) { //~ error
        float a = true; //~ error
    }
    for (int i = 0; j < 3; i++) { //~ error
        bool a = i; //~ error
    }
}
