import { readFileSync } from 'node:fs'
import type { Expectations } from './expectations.js'
import type { Forgery } from './values/forge-jwt.js'
import type { SignatureDeviation } from './values/stripe-signature.js'

/** One line of cases.json; README.md says what the fields mean. */
export interface Case {
  id: string
  class: string
  method: string
  path: string
  headers: Record<string, string>
  headerList?: [name: string, value: string][]
  body?: object
  bodyRaw?: string
  bodyBase64?: string
  bodyGen?: { template: string; repeat: string; count: number; trimTail: number }
  rawSocket?: string
  steps?: string[]
  repeat?: number
  parallel?: number
  forgeJwt?: Forgery
  /** Null: the provider's header is left out. */
  stripeSig?: SignatureDeviation | null
  precondition: string
  note?: string
  expect: Expectations & { invariant?: string; sideEffect?: string }
  basis: string
  source: string
}

const FIELDS: ReadonlySet<string> = new Set<keyof Case>([
  ...(['id', 'class', 'method', 'path', 'headers', 'headerList', 'rawSocket', 'steps'] as const),
  ...(['body', 'bodyRaw', 'bodyBase64', 'bodyGen', 'repeat', 'parallel', 'forgeJwt', 'stripeSig'] as const),
  ...(['precondition', 'note', 'expect', 'basis', 'source'] as const),
])

/** Every case of cases.json. Throws for a field that the runner does not know: it would be ignored. */
export function readCases(): Case[] {
  const cases = JSON.parse(readFileSync('test/conformance/cases.json', 'utf8')) as Case[]
  for (const { id, ...fields } of cases) {
    const unknown = Object.keys(fields).filter(name => !FIELDS.has(name))
    if (unknown.length > 0) throw new Error(`${id} has fields that the runner does not know: ${unknown}`)
  }
  return cases
}
