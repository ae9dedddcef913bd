/** The sessions of the shard are gone: it was emptied, or is another Redis. An operator decides. */
export class LostStoreError extends Error {
  constructor(reason: string) {
    super(`${reason}. Restore it, or let everybody concerned log in again: npm run cli -- store:accept-loss`)
  }
}

/** The sessions on the shard belong to a service with another database. Nothing is overwritten. */
export class ForeignStoreError extends Error {
  constructor() {
    super(
      'its sessions belong to another installation, so SESSION_STORE_URL or DATABASE_URL is probably wrong. Correct it; ' +
        'only if that installation is gone, take its Redis over: npm run cli -- store:accept-loss',
    )
  }
}

/** Not possible now, but will pass by itself. */
export class NotYetError extends Error {}
