#version 100
// ES 1.00, 3.1: Characters that the language lacks are only allowed in comments.
#pragma ½ //~ error: the character '½' does not exist in the language

void main() {
}
