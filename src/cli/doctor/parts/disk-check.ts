import { statfs } from 'node:fs/promises'
import type { Settings } from '../../../platform/config/settings.js'
import { type Finding, fault, ok, warning } from '../finding.js'
import { inBytes } from '../in-bytes.js'

const FAULT_BELOW = 0.05
const WARN_BELOW = 0.15
/** On a large disk, 5 % may be plenty. */
const PLENTY_BYTES = 50e9

/** The free space on the disk of DATA_DIR, which holds the embedded database; other databases have their own disks. */
export async function checkDisk({ dataDir }: Settings): Promise<Finding[]> {
  const found = await statfs(dataDir).catch(() => null)
  if (!found) return [ok('disk', `${dataDir} does not exist yet`)]
  const free = found.bavail * found.bsize
  const share = found.bavail / Math.max(1, found.blocks)
  const saw = `${inBytes(free)} (${Math.floor(share * 100)} %) are free in ${dataDir}`
  const todo = `Make room on the disk of ${dataDir}`
  if (share >= WARN_BELOW || free > PLENTY_BYTES) return [ok('disk', saw)]
  return [share < FAULT_BELOW ? fault('disk', saw, todo) : warning('disk', saw, todo)]
}
