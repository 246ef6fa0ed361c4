package browser

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"testing"
)

// An image with more colours than wanted keeps those that it has most, and each of the
// others becomes one that is near. It is the same in each run.
func TestReduce(t *testing.T) {
	full := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		c := color.RGBA{250, 249, 245, 255}
		if i%4 == 0 {
			c = color.RGBA{uint8(i / 64 * 4), uint8(i % 64 * 4), 40, 255}
		}
		full.SetRGBA(i%64, i/64, c)
	}
	small := reduce(full, 64)
	if len(small.Palette) > 64 {
		t.Errorf("there are %d colours, want at most 64", len(small.Palette))
	}
	if got := rgbOf(small.At(1, 0)); got != [3]uint8{250, 249, 245} {
		t.Errorf("the colour of most pixels has become %v", got)
	}
	for i := range 64 * 64 {
		was, is := rgbOf(full.At(i%64, i/64)), rgbOf(small.At(i%64, i/64))
		for c := range 3 {
			if d := int(was[c]) - int(is[c]); max(d, -d) > 64 {
				t.Fatalf("%v has become %v", was, is)
			}
		}
	}
	if again := reduce(full, 64); !slices.Equal(again.Pix, small.Pix) || !slices.Equal(again.Palette, small.Palette) {
		t.Error("the second time it is another image")
	}
}

// A shade is a colour of an image, and how many of its pixels have it.
type shade struct {
	rgb   [3]uint8
	count int
}

// reduce returns an image with at most n colours, by median cut. Colours that many pixels
// have stay as they are.
func reduce(full image.Image, n int) *image.Paletted {
	counts := map[[3]uint8]int{}
	b := full.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			counts[rgbOf(full.At(x, y))]++
		}
	}
	var all []shade
	for rgb, count := range counts {
		all = append(all, shade{rgb, count})
	}
	// The order of a map is another in each run, and that of the palette must not be.
	slices.SortFunc(all, func(a, b shade) int { return cmp.Or(b.count-a.count, slices.Compare(a.rgb[:], b.rgb[:])) })
	kept := min(len(all), n/2)
	var palette color.Palette
	nearest := map[[3]uint8]uint8{}
	add := func(shades []shade) {
		for _, s := range shades {
			nearest[s.rgb] = uint8(len(palette))
		}
		palette = append(palette, mean(shades))
	}
	for _, s := range all[:kept] {
		add([]shade{s})
	}
	for _, box := range cut(all[kept:], n-kept) {
		add(box)
	}
	small := image.NewPaletted(b, palette)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			small.SetColorIndex(x, y, nearest[rgbOf(full.At(x, y))])
		}
	}
	return small
}

func rgbOf(c color.Color) [3]uint8 {
	r, g, b, _ := c.RGBA()
	return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
}

// cut divides shades into at most n boxes: again and again the widest box, where half of
// its pixels are on each side.
func cut(all []shade, n int) [][]shade {
	if len(all) == 0 {
		return nil
	}
	boxes := [][]shade{all}
	for len(boxes) < n {
		widest, channel, most := -1, 0, 0
		for i, box := range boxes {
			for c := range 3 {
				if w := width(box, c); w > most {
					widest, channel, most = i, c, w
				}
			}
		}
		if widest < 0 {
			break
		}
		box := boxes[widest]
		slices.SortFunc(box, func(a, b shade) int {
			return cmp.Or(int(a.rgb[channel])-int(b.rgb[channel]), slices.Compare(a.rgb[:], b.rgb[:]))
		})
		half, at := pixels(box)/2, 1
		for sum := box[0].count; at < len(box)-1 && sum+box[at].count <= half; at++ {
			sum += box[at].count
		}
		boxes[widest] = box[:at]
		boxes = append(boxes, box[at:])
	}
	return boxes
}

// width returns how far the shades of a box are apart in one channel.
func width(box []shade, channel int) int {
	low, high := 255, 0
	for _, s := range box {
		low, high = min(low, int(s.rgb[channel])), max(high, int(s.rgb[channel]))
	}
	return high - low
}

func pixels(box []shade) (n int) {
	for _, s := range box {
		n += s.count
	}
	return n
}

// mean returns the colour in the middle of a box.
func mean(box []shade) color.Color {
	var sum [3]int
	for _, s := range box {
		for c := range 3 {
			sum[c] += int(s.rgb[c]) * s.count
		}
	}
	n := pixels(box)
	return color.RGBA{uint8((sum[0] + n/2) / n), uint8((sum[1] + n/2) / n), uint8((sum[2] + n/2) / n), 255}
}
