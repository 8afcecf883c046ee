// Lists what the package offers with its types, so that a review sees each change of what plugins rely on.
import ts from 'typescript';
import { inProject } from '../project.mjs';

const DOORS = {
  slipway: inProject('dist', 'src', 'slipway.d.ts'),
  'slipway/plugin': inProject('dist', 'src', 'plugin.d.ts'),
  'slipway/testing': inProject('dist', 'test', 'support', 'testing.d.ts'),
};

const INTRODUCTION = `<!-- Made from the code by \`npm run docs\`; changes here are lost. -->

Look up here what the package of Slipway offers to plugins, with its types. [A plugin of your own](extend/plugin.md)
explains how to use it, and which releases may change it. The last section has the types inside of Slipway that these
declarations name. Some of them, such as the entity \`App\`, have the name of an export that is another type.`;

const printer = ts.createPrinter({ removeComments: true });

/** Returns the page: the exports of each door, and then the types that they refer to. */
export function pluginApiPage() {
  const api = new PluginApi();
  const doors = Object.entries(DOORS).map(([name, file]) => section(name, api.exportsOf(file)));
  const others = section('Types that these use', api.others());
  return `# What plugins can use\n\n${[INTRODUCTION, ...doors, others].join('\n\n')}\n`;
}

/** @param {string} title @param {string[]} declarations */
function section(title, declarations) {
  return `## ${title}\n\n\`\`\`ts\n${declarations.join('\n')}\n\`\`\``;
}

class PluginApi {
  program = programOf(Object.values(DOORS));
  checker = this.program.getTypeChecker();
  /** The exports of all doors. @type {Set<ts.Symbol>} */
  exported = new Set(Object.values(DOORS).flatMap((file) => this.symbolsOf(file)));
  /** The types that the declarations so far refer to. @type {Set<ts.Symbol>} */
  referred = new Set();

  /** @param {string} file */
  exportsOf(file) {
    return this.rendered(this.symbolsOf(file));
  }

  others() {
    /** @type {Set<ts.Symbol>} */
    const found = new Set();
    for (let more = this.unseen(found); more.length > 0; more = this.unseen(found)) {
      for (const symbol of more) found.add(symbol);
      this.rendered(more);
    }
    return this.rendered([...found]);
  }

  /** @param {Set<ts.Symbol>} found */
  unseen(found) {
    return [...this.referred].filter((symbol) => !this.exported.has(symbol) && !found.has(symbol));
  }

  /** @param {string} file */
  symbolsOf(file) {
    const source = this.program.getSourceFile(file);
    const module = source && this.checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} exports nothing. Run \`npm run build\`.`);
    return this.checker.getExportsOfModule(module).map((symbol) => this.behind(symbol));
  }

  /** @param {ts.Symbol} symbol */
  behind(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  /** @param {ts.Symbol[]} symbols */
  rendered(symbols) {
    const declarations = symbols
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((symbol) => (symbol.declarations ?? []).map((declaration) => this.render(declaration)));
    // Two files of Slipway can declare the same type.
    return [...new Set(declarations)];
  }

  /** @param {ts.Declaration} declaration */
  render(declaration) {
    const visible = ts.isClassDeclaration(declaration) ? this.withoutInside(declaration) : declaration;
    this.follow(visible);
    const text = printer.printNode(ts.EmitHint.Unspecified, visible, declaration.getSourceFile());
    const isVariable = ts.isVariableDeclaration(declaration);
    const declared = (isVariable ? `const ${text};` : text).replace(/^(export |default |declare )+/, '');
    return declared.replace(/import\("\.[^"]*"\)\./g, '');
  }

  /** @param {ts.ClassDeclaration} declaration */
  withoutInside(declaration) {
    const { modifiers, name, typeParameters, heritageClauses, members } = declaration;
    const visible = members.filter((member) => this.isVisible(member));
    return ts.factory.updateClassDeclaration(declaration, modifiers, name, typeParameters, heritageClauses, visible);
  }

  /**
   * Plugins neither see private members nor call the constructors of services, which take what is not exported.
   * @param {ts.ClassElement} member
   */
  isVisible(member) {
    if (ts.isConstructorDeclaration(member)) return member.parameters.every(({ type }) => this.isExported(type));
    if (member.name && (ts.isPrivateIdentifier(member.name) || ts.isComputedPropertyName(member.name))) return false;
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
    return (ts.getCombinedModifierFlags(member) & hidden) === 0;
  }

  /** @param {ts.TypeNode | undefined} type */
  isExported(type) {
    if (!type || !ts.isTypeReferenceNode(type)) return true;
    const symbol = this.ownSymbol(type.typeName);
    return !symbol || this.exported.has(symbol);
  }

  /** @param {ts.Node} node */
  follow(node) {
    if (ts.isIdentifier(node)) {
      const symbol = this.ownSymbol(node);
      if (symbol) this.referred.add(symbol);
    }
    ts.forEachChild(node, (child) => this.follow(child));
  }

  /**
   * Returns the type of Slipway that a name stands for, if it is one, or the list of names from which a type is made.
   * @param {ts.Node} name
   */
  ownSymbol(name) {
    const symbol = this.checker.getSymbolAtLocation(name);
    const type = symbol && this.behind(symbol);
    const kinds = ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias;
    const isListed = type?.declarations?.some((declaration) => type.flags & kinds || isListOfNames(declaration));
    return isListed ? type : undefined;
  }
}

/** @param {ts.Declaration} declaration */
function isListOfNames(declaration) {
  const type = ts.isVariableDeclaration(declaration) ? declaration.type : undefined;
  return (
    !!type &&
    ts.isTypeOperatorNode(type) &&
    ts.isTupleTypeNode(type.type) &&
    type.type.elements.every(ts.isLiteralTypeNode)
  );
}

/** Loads these declarations and those that they import from Slipway. Packages are left out, which takes seconds less. */
function programOf(/** @type {string[]} */ files) {
  /** @type {ts.CompilerOptions} */
  const options = { noLib: true, types: [], module: ts.ModuleKind.NodeNext };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) => ({
      resolvedModule: text.startsWith('.') ? ts.resolveModuleName(text, from, options, host).resolvedModule : undefined,
    }));
  return ts.createProgram(files, options, host);
}
