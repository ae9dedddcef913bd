import { isIPv4 } from 'node:net'

/** What a record can hold here. */
type Value = string | number | Uint | readonly Value[] | { readonly [key: string]: Value }

/** A whole number; a plain one becomes a double. */
export class Uint {
  constructor(
    readonly value: number,
    readonly type: 5 | 6 | 9 = 6,
  ) {}
}

const STRING = 2
const DOUBLE = 3
const MAP = 7
const ARRAY = 11
const SEPARATOR = Buffer.alloc(16)
const METADATA_MARKER = Buffer.from('abcdef4d61784d696e642e636f6d', 'hex')
const RECORD_BYTES = 3

/** A node of the search tree; a record is another node, the offset of a value in the data section, or empty. */
type Branch = [Branch | number | null, Branch | number | null]

/**
 * The bytes of a MaxMind DB file (https://maxmind.github.io/MaxMind-DB/, format 2.0) with these networks in CIDR form; IPv6
 * without `::`. Networks must not overlap.
 */
export function mmdbFile(
  networks: Readonly<Record<string, Value>>,
  { databaseType = 'Test-City', ipVersion = 6 as 4 | 6 } = {},
): Buffer {
  const root: Branch = [null, null]
  let data = Buffer.alloc(0)
  for (const [network, value] of Object.entries(networks)) {
    put(root, bitsOf(network, ipVersion), data.length)
    data = Buffer.concat([data, encode(value)])
  }
  const nodes = nodesOf(root)
  const metadata = {
    binary_format_major_version: new Uint(2, 5),
    binary_format_minor_version: new Uint(0, 5),
    build_epoch: new Uint(1_700_000_000, 9),
    database_type: databaseType,
    description: { en: 'made by a test' },
    ip_version: new Uint(ipVersion, 5),
    languages: ['en'],
    node_count: new Uint(nodes.length),
    record_size: new Uint(8 * RECORD_BYTES, 5),
  }
  return Buffer.concat([treeOf(nodes), SEPARATOR, data, METADATA_MARKER, encode(metadata)])
}

/** A record as in a city database. */
export function cityRecord(
  city: string,
  country: string,
  latitude: number,
  longitude: number,
  accuracyKm = 20,
): Readonly<Record<string, Value>> {
  return {
    city: { names: { en: city } },
    country: { names: { en: country } },
    location: { latitude, longitude, accuracy_radius: new Uint(accuracyKm, 5) },
  }
}

/** IPv4 stands at ::/96 of a tree of IPv6. */
function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', length] = network.split('/')
  const bytes = isIPv4(address)
    ? [...(ipVersion === 6 ? Array(12).fill(0) : []), ...address.split('.').map(Number)]
    : address.split(':').flatMap(group => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
  const offset = isIPv4(address) && ipVersion === 6 ? 96 : 0
  const bits = bytes.flatMap(byte => [7, 6, 5, 4, 3, 2, 1, 0].map(shift => (byte >> shift) & 1))
  return bits.slice(0, offset + Number(length))
}

function put(root: Branch, bits: readonly number[], offset: number): void {
  let node = root
  for (const bit of bits.slice(0, -1)) {
    node[bit] ??= [null, null]
    node = node[bit] as Branch
  }
  node[bits.at(-1) as number] = offset
}

function nodesOf(root: Branch): Branch[] {
  const nodes = [root]
  for (const node of nodes) nodes.push(...node.filter(record => Array.isArray(record)))
  return nodes
}

function treeOf(nodes: readonly Branch[]): Buffer {
  const numbers = new Map(nodes.map((node, index) => [node, index]))
  const tree = Buffer.alloc(nodes.length * 2 * RECORD_BYTES)
  nodes.flat().forEach((record, index) => {
    const value =
      record === null
        ? nodes.length
        : typeof record === 'number'
          ? nodes.length + SEPARATOR.length + record
          : numbers.get(record)
    tree.writeUIntBE(value as number, index * RECORD_BYTES, RECORD_BYTES)
  })
  return tree
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return field(STRING, Buffer.byteLength(value), Buffer.from(value))
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(value)
    return field(DOUBLE, 8, bytes)
  }
  if (value instanceof Uint) {
    const digits = value.value === 0 ? '' : value.value.toString(16)
    const bytes = Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex')
    return field(value.type, bytes.length, bytes)
  }
  if (Array.isArray(value)) return field(ARRAY, value.length, Buffer.concat(value.map(encode)))
  const pairs = Object.entries(value).flatMap(([key, item]) => [encode(key), encode(item)])
  return field(MAP, pairs.length / 2, Buffer.concat(pairs))
}

/** A control byte, the type above 7 in a second one, sizes up to 28 in the first. */
function field(type: number, size: number, bytes: Buffer): Buffer {
  if (size > 28) throw new Error('Longer values are not needed in tests')
  const control = type > 7 ? [size, type - 7] : [(type << 5) | size]
  return Buffer.concat([Buffer.from(control), bytes])
}
