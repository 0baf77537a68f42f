import ts from 'typescript'

/** A property of a type, with its type. */
export type Property = ts.PropertySignature & { type: ts.TypeNode }

/** Replaces a part of a text. */
export type Edit = [from: number, to: number, by: string]

/** Applies edits that do not overlap. */
export const edited = (text: string, edits: Edit[]): string =>
  edits
    .toSorted(([one], [other]) => other - one)
    .reduce((all, [from, to, by]) => all.slice(0, from) + by + all.slice(to), text)

export const parse = (text: string): ts.SourceFile =>
  ts.createSourceFile('types.ts', text, ts.ScriptTarget.Latest, true)

export const interfaceOf = (source: ts.SourceFile, name: string): ts.Node | undefined =>
  source.statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === name)

/** The properties of an interface or of a type that is written out; none of anything else. */
export const propertiesOf = (node: ts.Node | undefined): Property[] =>
  node && (ts.isTypeLiteralNode(node) || ts.isInterfaceDeclaration(node))
    ? node.members.filter((each): each is Property => ts.isPropertySignature(each) && each.type !== undefined)
    : []

/** The type of a property, found by its name. */
export const typeOf = (node: ts.Node | undefined, name: string): ts.TypeNode | undefined =>
  propertiesOf(node).find((each) => nameOf(each) === name)?.type

export const nameOf = ({ name }: Property): string => (ts.isStringLiteral(name) ? name.text : name.getText())

/** The source of a property, with its comment. */
export const textOf = (property: Property): string => {
  const source = property.getSourceFile()
  return source.text.slice(property.getStart(source, true), property.type.end)
}
