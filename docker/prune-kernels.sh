#!/usr/bin/env bash
# prune-kernels.sh ARCH FOLDER: removes the kernel libraries of every other card from ROCm below FOLDER.
#
# Only where ROCm keeps one file per card: rocBLAS, hipBLASLt, hipSPARSELt and MIOpen. Their files carry the card at the
# start of a gfx token (gfx950, gfx950-xnack+, MIOpen's gfx950100 with the compute units in hex); a file without such
# a token, or for a generic target (gfx9-4-generic), serves every card and stays.
set -euo pipefail
arch=$1 folder=$2

case $arch in
gfx[0-9]*) ;;
*)
  echo "prune-kernels.sh: $arch is not an architecture such as gfx950" >&2
  exit 2
  ;;
esac

kept=0 removed=0
while IFS= read -r -d '' file; do
  # The part of the path that the library itself names: a card may be a folder there.
  tokens=$(grep -oE 'gfx[0-9][0-9a-z]*(-[0-9]+)?(-generic)?' <<<"${file#"$folder"}" || true)
  case $'\n'$tokens in
  $'\n') continue ;;
  *-generic*) ;;
  *$'\n'"$arch"*) kept=$((kept + 1)) ;;
  *)
    rm -- "$file"
    removed=$((removed + 1))
    ;;
  esac
done < <(find "$folder" -xdev -type f \( -path '*/rocblas/library/*' -o -path '*/hipblaslt/library/*' \
  -o -path '*/hipsparselt/library/*' -o -path '*/miopen/db/*' \) -print0)

# A card that ROCm does not know, or a typing mistake, would leave an image without kernels.
if [ "$kept" = 0 ]; then
  echo "prune-kernels.sh: no kernel library for $arch below $folder; is the card right, and the image the full one?" >&2
  exit 1
fi
find "$folder" -xdev -type d -empty -path '*gfx*' -delete
echo "prune-kernels.sh: kept $kept files for $arch, removed $removed of other cards"
