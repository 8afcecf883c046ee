/** The member with the body, and a name that templates take for the number of members. */
const RESERVED = ['body', 'size'];
const MAX_NAME = 60;

/** Gives each parameter a name in the input that templates and providers of models accept. */
export class InputNames {
  private readonly taken = new Set(RESERVED);

  take(name: string, place: string): string {
    const words =
      name
        .replace(/\W+/g, '_')
        .replace(/^_+|_+$/g, '')
        .slice(0, MAX_NAME) || 'parameter';
    const plain = /^[A-Za-z]/.test(words) ? words : `p_${words}`;
    const free = [plain, `${place}_${plain}`].find((each) => !this.taken.has(each)) ?? this.numbered(plain);
    this.taken.add(free);
    return free;
  }

  private numbered(name: string): string {
    let number = 2;
    while (this.taken.has(`${name}_${number}`)) number += 1;
    return `${name}_${number}`;
  }
}
