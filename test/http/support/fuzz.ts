import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc, { type Arbitrary } from 'fast-check'
import { PASSWORD } from '../../support/people.js'
import { MAIN, SHOP_ONE } from '../../support/test-app.js'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly example?: unknown
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema?: Schema
}

interface Description {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }
}

/** One entry of docs/openapi.json. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly description: Description
}

/** What a fuzzer sends; `isLoggedIn`: with the tokens of a live session. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly isLoggedIn: boolean
}

const { paths, components } = JSON.parse(
  readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8'),
) as {
  paths: Record<string, Record<string, Description>>
  components: { schemas: Record<string, Schema> }
}

/** Every operation that is documented. */
export const OPERATIONS: readonly Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, description]) => ({
    method: method.toUpperCase(),
    path,
    description,
  })),
)

/** What has broken parsers, stores and comparisons elsewhere. */
const HOSTILE_TEXTS = [
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u202e',
    '\ufeff',
    'é',
    'ﬀ',
    '𝕒',
    "'",
    '"',
    '\\',
    '%',
    '%00',
    '../',
    '//',
  ],
  ...['null', 'undefined', 'NaN', '[object Object]', '__proto__', '{{7*7}}', "' or 1=1 --", '\r\nX: y', '{}'],
  ...['2026-11-31', '9999-99-99T99:99:99Z', '-1', '1e400', '0x10', '9007199254740993', 'a'.repeat(5_000)],
  ...[
    'https://',
    'javascript:alert(1)',
    'http://[::1',
    'https://a@b.test',
    '00000000-0000-0000-0000-000000000000',
  ],
]
const HOSTILE_VALUES: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 0.5, 1e308, -0, 2 ** 53, [], {}, [[]], [null], { length: -1 }),
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.anything({ maxDepth: 3, maxKeys: 4, withNullPrototype: false }),
)
const HOSTILE_BODIES = fc.oneof(
  fc.constantFrom('', '{', '[]', 'null', '"', '{"a":1,"a":2}', '{"__proto__":{"x":1}}', '{"constructor":{}}'),
  fc.constantFrom(
    '['.repeat(2_000),
    '1'.repeat(20_000),
    `{"a":"${'b'.repeat(17_000)}"}`,
    '\u0000',
    '\ufeff{}',
  ),
  fc.json({ maxDepth: 4 }),
)
const HOSTILE_TEXT = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 80 }))
const ORIGINS = [
  '',
  MAIN,
  SHOP_ONE,
  'null',
  'https://evil.test',
  MAIN.toUpperCase(),
  `${MAIN}.evil.test`,
  'x y',
]

/** A request as documented in part, and otherwise as bad as can be. */
export function requestOf({ method, path, description }: Operation): Arbitrary<FuzzRequest> {
  const { parameters = [], requestBody } = description
  const values = (place: Parameter['in']): Arbitrary<Record<string, string>> =>
    fc.record<Record<string, string>>(
      Object.fromEntries(
        parameters
          .filter(({ in: at }) => at === place)
          .map(({ name, schema = {} }) => [name, textOf(schema)]),
      ),
      place === 'path' ? {} : { requiredKeys: [] },
    )
  const schema = requestBody?.content?.['application/json']?.schema
  return fc
    .record({
      inPath: values('path'),
      inQuery: values('query'),
      extraQuery: fc.option(fc.tuple(HOSTILE_TEXT, HOSTILE_TEXT), { freq: 8 }),
      inHeaders: values('header'),
      origin: fc.constantFrom(...ORIGINS, MAIN, MAIN),
      type: fc.constantFrom('application/json', 'application/json', 'application/json', 'text/plain', 'x'),
      body: schema ? bodyOf(schema) : fc.option(HOSTILE_BODIES, { freq: 4 }),
      isLoggedIn: fc.boolean(),
    })
    .map(({ inPath, inQuery, extraQuery, inHeaders, origin, type, body, isLoggedIn }) => ({
      method,
      path: filled(path, inPath) + queryOf([...Object.entries(inQuery), ...(extraQuery ? [extraQuery] : [])]),
      headers: {
        ...Object.fromEntries(Object.entries(inHeaders).map(([name, text]) => [name, asHeader(text)])),
        ...(origin && { Origin: origin }),
        ...(body !== null && { 'Content-Type': type }),
      },
      body,
      isLoggedIn,
    }))
}

function bodyOf(schema: Schema): Arbitrary<string> {
  const documented = jsonOf(schema).map(value => JSON.stringify(value) ?? '')
  return fc.oneof({ arbitrary: documented, weight: 4 }, { arbitrary: HOSTILE_BODIES, weight: 1 })
}

/** Of each field mostly what is documented; it may be missing, too. */
function jsonOf(schema: Schema): Arbitrary<unknown> {
  const { $ref, allOf, anyOf, properties, items } = schema
  if ($ref) return jsonOf(components.schemas[$ref.split('/').at(-1) as string] ?? {})
  if (allOf?.[0]) return jsonOf(allOf[0])
  if (anyOf) return fc.oneof(...anyOf.map(jsonOf))
  const right = properties
    ? fc.record(mapped(properties, jsonOf), { requiredKeys: [] })
    : items
      ? fc.array(jsonOf(items), { maxLength: 4 })
      : fc.constantFrom(...examplesOf(schema))
  return fc.oneof(
    { arbitrary: right as Arbitrary<unknown>, weight: 6 },
    { arbitrary: HOSTILE_VALUES, weight: 1 },
  )
}

function examplesOf(schema: Schema): unknown[] {
  const { type, example, enum: choices, minimum = 0, maximum = 100 } = schema
  if (choices) return [...choices]
  const types = [type].flat()
  const found: unknown[] = example === undefined ? [] : [example, example]
  if (types.includes('string')) found.push(PASSWORD, SHOP_ONE, 'a'.repeat(schema.minLength ?? 1))
  if (types.includes('integer') || types.includes('number')) found.push(minimum, maximum, maximum + 1)
  if (types.includes('boolean')) found.push(true, false)
  if (types.includes('null')) found.push(null)
  return found.length > 0 ? found : [null]
}

function textOf(schema: Schema): Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...examplesOf(schema).map(String)), HOSTILE_TEXT)
}

function mapped<T, R>(object: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}

function filled(path: string, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => asPathSegment(values[name] ?? ''))
}

/** Escaped, because no client can send anything else; but some escapes are wrong on purpose. */
function asPathSegment(text: string): string {
  return text.startsWith('%') ? text : escaped(text)
}

function queryOf(pairs: readonly (readonly [string, string])[]): string {
  if (pairs.length === 0) return ''
  return `?${pairs.map(pair => pair.map(text => escaped(text)).join('=')).join('&')}`
}

/** A lone surrogate cannot be escaped; clients send U+FFFD in its place. */
function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

/** Node refuses to send other characters. */
function asHeader(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim()
}
