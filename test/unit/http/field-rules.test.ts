import { expect, test } from '@jest/globals'
import { getMetadataStorage } from 'class-validator'
import { createApp, FIELD_FAULTS, FIELD_RULES } from '../../sources.js'

/** Of every body and query of the service, which are known as soon as all of it is loaded. */
const rules = rulesOnceLoaded(createApp)

function rulesOnceLoaded(_service: unknown): readonly Rule[] {
  return [...(getMetadataStorage() as unknown as Storage).validationMetadatas.values()].flat()
}

interface Storage {
  readonly validationMetadatas: ReadonlyMap<unknown, readonly Rule[]>
}

interface Rule {
  readonly type: string
  readonly name?: string
  readonly propertyName: string
  readonly constraints?: readonly unknown[]
  readonly context?: { readonly code?: string }
}

/** Whether a field is looked at at all. */
const CONDITIONS = ['conditionalValidation', 'whitelistValidation']

test('every rule of every field has a code, and values for its sentences', () => {
  const named = rules.filter(({ type }) => !CONDITIONS.includes(type))
  expect(named.length).toBeGreaterThan(100)
  const unknown = named.filter(({ type, name = type, context }) => !context?.code && !FIELD_RULES[name])
  expect(unknown.map(({ propertyName, name }) => `${name} of ${propertyName}`)).toEqual([])
  for (const { name = '', constraints = [] } of named) {
    const [, ...values] = [FIELD_RULES[name] ?? []].flat()
    expect(values.map((_, index) => typeof constraints[index])).toEqual(values.map(() => 'number'))
  }
})

test('the codes are all in the one table', () => {
  const codes = [...Object.values(FIELD_RULES), ...rules.flatMap(({ context }) => context?.code ?? [])]
  for (const code of codes.map(rule => [rule].flat()[0])) expect(FIELD_FAULTS).toHaveProperty(String(code))
})
