// GLSL 3.30, 7.2: The compatibility profile has the fixed functions' inputs.
#version 330 compatibility
out vec4 color;
void main() {
    color = gl_Color + gl_TexCoord[0] + gl_SecondaryColor + vec4(gl_FogFragCoord);
}
