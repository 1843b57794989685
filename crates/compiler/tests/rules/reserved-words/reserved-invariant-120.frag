// GLSL 1.20, 3.6: `invariant` and `centroid` are keywords from 1.20 on.
#version 120
void main() {
    float invariant = 1.0; //~ error: expected the name of a variable, found the keyword `invariant`
    float centroid = 2.0; //~ error: expected the name of a variable, found the keyword `centroid`
}
