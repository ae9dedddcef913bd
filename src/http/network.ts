import { isIP } from 'node:net'

/** Some proxies write the port of the connection behind the address, a new one each time. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>\d+(?:\.\d+){3}):\d+)$/

/**
 * Who counts as one client: an IPv4 address; of IPv6 the /64, within which anybody has 2^64 addresses to go through
 * (CVE-2026-45364). Every way to write an address gives the same text, and so does IPv4 packed in IPv6. What is no
 * address counts as one client together.
 */
export function clientNetworkOf(address: string): string {
  return prefixOf(address, { ipv4Bytes: 4, ipv6Bytes: 8 })
}

/** The IPv6 /56 of an address, which a home is usually given (RFC 6177); null for IPv4 and for what is no address. */
export function blockOf(address: string): string | null {
  const block = prefixOf(address, { ipv4Bytes: 4, ipv6Bytes: 7 })
  return block.includes(':') ? block : null
}

/** Where familiar clients are looked for: IPv4 /24, IPv6 /48; who is let in from there shares a counter with all others there. */
export function neighbourhoodOf(address: string): string {
  return prefixOf(address, { ipv4Bytes: 3, ipv6Bytes: 6 })
}

function prefixOf(address: string, { ipv4Bytes, ipv6Bytes }: { ipv4Bytes: number; ipv6Bytes: number }) {
  const { v4, v6 } = WITH_PORT.exec(address)?.groups ?? {}
  const ip = v4 ?? v6 ?? address
  const family = isIP(ip)
  if (family === 0) return 'unknown'
  const groups = family === 6 ? groupsOf(ip) : []
  const bytes = family === 4 ? ip.split('.').map(Number) : packedIpv4(groups)
  if (bytes) return `${bytes.map((byte, index) => (index < ipv4Bytes ? byte : 0)).join('.')}/${8 * ipv4Bytes}`
  const prefix = groups.slice(0, Math.ceil(ipv6Bytes / 2)).map((group, index) => {
    const isCutInHalf = 2 * index + 1 === ipv6Bytes
    return (isCutInHalf ? group & 0xff00 : group).toString(16)
  })
  return `${prefix.join(':')}::/${8 * ipv6Bytes}`
}

/** The eight groups of an IPv6 address. */
function groupsOf(ip: string): number[] {
  const canonical = new URL(`http://[${ip.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split('::').map(part => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map(group => Number.parseInt(group, 16))
}

/** The bytes of `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2); null for every other address. */
function packedIpv4(groups: readonly number[]): number[] | null {
  const isPacked = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff
  return isPacked ? groups.slice(6).flatMap(group => [group >> 8, group & 0xff]) : null
}
