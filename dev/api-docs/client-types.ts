import { commentOf, SchemaTypes } from './schema-types.js'

/** The location in the repository. */
export const CLIENT_TYPES_FILE = 'packages/client/src/operations.ts'

const HEADER = '/* Written by npm run openapi from docs/openapi.json. */\n'

type Schema = object
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}
interface Operation {
  readonly summary?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: Content & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, Content>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/**
 * The types of all operations, as `@mainstay-auth/client/api` uses them: by method and path, what they take
 * and what a successful response contains, and the schemas that these refer to. Every operation throws its
 * refusals; the client sets the headers itself.
 */
export function clientTypesOf(document: object): string {
  const { paths, components } = document as Document
  const types = new SchemaTypes(components.schemas)
  const methods = [...new Set(Object.values(paths).flatMap(path => Object.keys(path)))]
  const operations = methods.map(method => {
    const ofMethod = Object.entries(paths).flatMap(([path, { [method]: operation }]) =>
      operation
        ? `${commentOf(operation.summary)}readonly '${path}': ${operationType(operation, types)}`
        : [],
    )
    return `readonly ${method}: {\n${ofMethod.join('\n')}\n}`
  })
  const text = `${HEADER}export interface Operations {\n${operations.join('\n')}\n}\n`
  return indented(text + types.declarations())
}

function operationType(operation: Operation, types: SchemaTypes): string {
  const { requestBody: body, responses } = operation
  const members = [
    ...['path', 'query'].map(where => parametersType(operation, where, types)),
    body && `body${body.required ? '' : '?'}: ${types.of(body.content?.['application/json']?.schema ?? {})}`,
    `answer: ${answerType(responses, types)}`,
  ]
  return `{\n${members
    .filter(Boolean)
    .map(member => `readonly ${member}`)
    .join('\n')}\n}`
}

/** The entire member; null where there are no parameters. */
function parametersType({ parameters = [] }: Operation, where: string, types: SchemaTypes): string | null {
  const those = parameters.filter(parameter => parameter.in === where)
  if (those.length === 0) return null
  const members = those.map(
    ({ name, required, description, schema }) =>
      `${commentOf(description)}readonly ${name}${required ? '' : '?'}: ${types.of(schema)}`,
  )
  const isOptional = !those.some(({ required }) => required)
  return `${where}${isOptional ? '?' : ''}: {\n${members.join('\n')}\n}`
}

/** Parsed JSON; null where there is no body, and the Response itself for anything else. */
function answerType(responses: Operation['responses'], types: SchemaTypes): string {
  const answers = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([, { content }]) => {
      const json = content?.['application/json']?.schema
      if (json) return types.of(json)
      return content ? 'Response' : 'null'
    })
  return [...new Set(answers)].join(' | ')
}

function indented(text: string): string {
  let depth = 0
  const lines = text.split('\n').map(line => {
    if (line.startsWith('}')) depth -= 1
    const spaced = line && '  '.repeat(depth) + line
    if (line.endsWith('{')) depth += 1
    return spaced
  })
  return lines.join('\n')
}
