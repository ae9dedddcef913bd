import { isIP } from 'node:net'
import { type AttributeType, OCSF_1_3_0, type OcsfType } from './ocsf-1-3-0.js'

type Fields = Readonly<Record<string, unknown>>

const OTHER = 99
/** From 2000 to 2100 in milliseconds: seconds would be far below. */
const EARLIEST_MS = 946_684_800_000
const LATEST_MS = 4_102_444_800_000

/** What is wrong with an event by OCSF 1.3.0, by path; an attribute that the class does not have is wrong too. */
export function ocsfFaults(event: Fields): string[] {
  const type = OCSF_1_3_0[event.class_uid as number]
  if (!type) return [`class_uid ${event.class_uid} is of no class that we know`]
  const expected = {
    category_uid: type.category[0],
    category_name: type.category[1],
    class_name: type.caption,
    type_uid: Number(event.class_uid) * 100 + Number(event.activity_id),
    type_name: `${type.caption}: ${type.activities[event.activity_id as number]}`,
  }
  const wrong = Object.entries(expected).filter(([name, value]) => event[name] !== value)
  return [
    ...wrong.map(([name, value]) => `${name} must be ${value}, not ${event[name]}`),
    ...faultsOfObject(type, event, ''),
  ]
}

function faultsOfObject({ attributes, atLeastOne }: OcsfType, value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} must be an object`]
  const fields = value as Fields
  const known = new Map(
    Object.entries(attributes).map(([name, type]) => [name.replace(/\?$/, ''), type] as const),
  )
  const missing = Object.keys(attributes).filter(name => !name.endsWith('?') && !Object.hasOwn(fields, name))
  const isEmpty = atLeastOne && !atLeastOne.some(name => Object.hasOwn(fields, name))
  return [
    ...missing.map(name => `${path}${name} is missing`),
    ...(isEmpty ? [`${path} needs one of ${atLeastOne.join(', ')}`] : []),
    ...Object.entries(fields).flatMap(([name, field]) => {
      const type = known.get(name)
      return type ? faultsOf(type, field, fields, `${path}${name}`) : [`${path}${name} is unknown`]
    }),
  ]
}

function faultsOf(type: AttributeType, value: unknown, around: Fields, path: string): string[] {
  if (typeof type === 'string') return isOf(type, value) ? [] : [`${path} must be of type ${type}: ${value}`]
  if ('object' in type) return faultsOfObject(type.object, value, `${path}.`)
  if ('list' in type) {
    if (!Array.isArray(value)) return [`${path} must be a list`]
    return value.flatMap((item, index) => faultsOf(type.list, item, around, `${path}[${index}]`))
  }
  const caption = type.enum[value as number]
  if (caption === undefined) return [`${path} must not be ${value}`]
  const sibling = around[type.sibling]
  // Of "Other", the sibling is the source's own word.
  return value === OTHER || sibling === undefined || sibling === caption
    ? []
    : [`${path} is ${value}, so ${type.sibling} must be ${caption}, not ${sibling}`]
}

function isOf(type: Extract<AttributeType, string>, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' && value !== ''
    case 'integer':
      return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31
    case 'long':
      return Number.isSafeInteger(value)
    case 'timestamp':
      return Number.isSafeInteger(value) && (value as number) > EARLIEST_MS && (value as number) < LATEST_MS
    case 'boolean':
      return typeof value === 'boolean'
    case 'ip':
      return typeof value === 'string' && isIP(value) !== 0
    case 'email':
      return typeof value === 'string' && /^[^\s@]+@[^\s@]+$/.test(value)
    case 'json':
      return typeof value === 'object' && value !== null
  }
}
