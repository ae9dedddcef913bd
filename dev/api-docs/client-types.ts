/** What our schemas have. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly example?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** The schemas of our API reference as TypeScript; throws for schema features that none of them has used so far. */
class SchemaTypes {
  private readonly named = new Set<string>()
  /** Long lists of values, by the first field that uses them. */
  private readonly lists = new Map<string, string>()

  constructor(private readonly schemas: Readonly<Record<string, Schema>>) {
    for (const [name, { properties = {} }] of Object.entries(schemas))
      for (const [field, schema] of Object.entries(properties)) {
        const text = valuesOf(schema)
        const place = `${name}['${field}']`
        if (text && text.length > place.length && !this.lists.has(text)) this.lists.set(text, place)
      }
  }

  /** The type of a schema; named schemas are added to the {@link declarations}. */
  of(schema: Schema, place?: string): string {
    const { $ref, anyOf, allOf, type } = schema
    if ($ref) return this.name($ref)
    if (allOf) return allOf.map(part => this.of(part)).join(' & ')
    if (anyOf) return anyOf.map(part => this.of(part)).join(' | ')
    const values = valuesOf(schema)
    if (values) return this.list(values, place)
    const types = typeof type === 'string' ? [type] : (type ?? [])
    if (types.length === 0) throw new Error(`No type is known for ${JSON.stringify(schema)}`)
    return types.map(one => this.ofType(one, schema)).join(' | ')
  }

  /** Everything that has been named so far, and what that refers to. */
  declarations(): string {
    const texts = new Map<string, string>()
    // The set grows during the iteration, because a schema may refer to others.
    for (const name of this.named) texts.set(name, this.declaration(name))
    return [...texts.keys()]
      .sort()
      .map(name => texts.get(name))
      .join('')
  }

  private declaration(name: string): string {
    const schema = this.schemas[name]
    if (!schema?.properties) throw new Error(`${name} is no object with fields`)
    return `${commentOf(schema.description)}export interface ${name} ${this.fields(schema, name)}\n`
  }

  private name($ref: string): string {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    this.named.add(name)
    return name
  }

  private list(values: string, place: string | undefined): string {
    const known = this.lists.get(values)
    if (!known || known === place) return values
    this.named.add(known.slice(0, known.indexOf('[')))
    return known
  }

  private ofType(type: string, schema: Schema): string {
    if (type === 'integer') return 'number'
    if (type === 'array') {
      const item = this.of(schema.items ?? {})
      return `readonly ${/[ |]/.test(item) ? `(${item})` : item}[]`
    }
    if (type !== 'object') return type
    if (schema.properties) return this.fields(schema)
    const { additionalProperties: rest } = schema
    return `Readonly<Record<string, ${typeof rest === 'object' ? this.of(rest) : 'unknown'}>>`
  }

  private fields({ properties = {}, required = [] }: Schema, name?: string): string {
    const lines = Object.entries(properties).map(([field, schema]) => {
      const type = this.of(schema, name && `${name}['${field}']`)
      return `${commentOf(schema.description)}readonly ${field}${required.includes(field) ? '' : '?'}: ${type}`
    })
    return `{\n${lines.join('\n')}\n}`
  }
}

/** The union of the listed values; null where there is no list. */
function valuesOf({ enum: values }: Schema): string | null {
  return values ? values.map(value => (value === null ? 'null' : `'${value}'`)).join(' | ') : null
}

/** For an editor: only the first sentence, because the API reference has the full text. */
function commentOf(text: string | undefined): string {
  const [sentence] = /^.*?(?=[.;] |\.?$)/s.exec(text ?? '') ?? []
  return sentence ? `/** ${sentence.replaceAll('*/', '* /')} */\n` : ''
}

/** The location in the repository. */
export const CLIENT_TYPES_FILE = 'packages/client/src/operations.ts'

const HEADER = '/* Written by npm run openapi from docs/openapi.json. */\n'

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
}
interface Operation {
  readonly summary?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: object
  }[]
  readonly requestBody?: Content & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, Content>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
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
