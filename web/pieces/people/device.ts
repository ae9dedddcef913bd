import { t } from '../language/t.js'

/** The service's name for a device, such as “Chrome on Windows”, in the page's language. */
export function deviceWords(device: string): string {
  const [app, system] = device.split(' on ')
  if (system) return t('device.appOnSystem', { app: app as string, system })
  return device === 'Unknown device' ? t('device.unknown') : device
}

/** Whether it is a handheld device, as far as its name tells. */
export function isPhone(device: string): boolean {
  return /iPhone|iPad|iOS|Android/.test(device)
}
