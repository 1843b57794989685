// ES 1.00, 6.3: What the body of `do` declares ends before its condition.
#version 100
precision mediump float;
void main() {
    do {
        bool again = false;
    } while (again); //~ error: there is no variable `again`
}
