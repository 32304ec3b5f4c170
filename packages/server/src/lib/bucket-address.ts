/** The URL of a bucket: everything before an object's key. */

export type Bucket = { bucket: string; endpoint: string | undefined; region: string | undefined };

const BUCKET_NAME = /^\w[\w.-]{1,253}\w$/;
const REGION_NAME = /^[a-z0-9-]+$/i;
/** Labels after the bucket's name. With fewer, the host is a machine whose name happens to start with it. */
const PROVIDER_LABELS_MIN = 3;

/** Path-style, unless the endpoint is the virtual-hosted address of the bucket. */
export function bucketAddress({ bucket, endpoint, region }: Bucket): string {
  if (!BUCKET_NAME.test(bucket)) throw new Error('S3_BUCKET is not the name of a bucket.');
  if (region !== undefined && !REGION_NAME.test(region))
    throw new Error('S3_REGION is not the name of a region.');
  if (endpoint !== undefined) return atEndpoint(endpoint, bucket);
  if (region === undefined) throw new Error('S3_BUCKET needs S3_ENDPOINT, or S3_REGION for an AWS bucket.');
  // The wildcard certificate of AWS does not cover names with dots.
  return bucket.includes('.')
    ? `https://s3.${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`;
}

function atEndpoint(endpoint: string, bucket: string): string {
  const url = new URL(endpoint);
  // Never used, and visible in logs.
  if (url.username !== '' || url.password !== '')
    throw new Error('S3_ENDPOINT must not hold a user or a password.');
  if (url.search !== '' || url.hash !== '' || !['/', `/${bucket}`, `/${bucket}/`].includes(url.pathname))
    throw new Error('S3_ENDPOINT must end with the host, or with the bucket after it.');
  const isOwnHost = url.pathname === '/' && isHostOf(bucket, url.hostname);
  return isOwnHost ? url.origin : `${url.origin}/${bucket}`;
}

function isHostOf(bucket: string, hostname: string): boolean {
  const prefix = `${bucket.toLowerCase()}.`;
  return (
    hostname.startsWith(prefix) && hostname.slice(prefix.length).split('.').length >= PROVIDER_LABELS_MIN
  );
}
