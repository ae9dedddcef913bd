import { t } from '../language/t.js'

/** What the service calls a device, such as “Chrome on Windows”, in the language of the page. */
export function deviceWords(device: string): string {
  const [app, system] = device.split(' on ')
  if (system) return t('device.appOnSystem', { app: app as string, system })
  return device === 'Unknown device' ? t('device.unknown') : device
}

/** Whether somebody holds it in the hand, as far as its name tells. */
export function isPhone(device: string): boolean {
  return /iPhone|iPad|iOS|Android/.test(device)
}
