"""A phone's camera: a page in, a photograph and the truth about it out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Conditions:
    """What the camera did to a page, physically, and therefore what the quality network should notice.

    Lengths are in px of the final photo. Where no document is in the picture, the document's own
    conditions are neutral and `document_present` is False.
    """

    document_present: bool
    documents: int  # how many stand in the picture
    visible_fraction: float  # of the document's area inside the picture, 0..1
    occluded_fraction: float  # of the document's area under fingers, pens, other paper, 0..1
    background_contrast: float  # |paper − surroundings| in CIE L*, 0..100
    blur_sigma_px: float  # defocus and scaling together, as one Gaussian
    motion_px: float  # length of the motion path
    exposure: float  # mean L* of white paper, 0..100; 85–97 is a good photo
    clipped_fraction: float  # of the document's area burnt to white by exposure
    glare_fraction: float  # of the document's area under a specular spot
    shadow_depth: float  # deepest shadow on the document, 0 none .. 1 black
    ink_contrast: float  # |ink − paper| in L* as printed, before the camera; thermal paper fades
    noise_sigma: float  # of luma, 0..255 scale
    text_height_px: float  # median height of a line of text (ascender to descender); nan if not known
    screen: bool  # photographed from a display: moiré, pixel grid
    jpeg_quality: int
    area_ratio: float  # document area inside the picture / picture area
    center_offset_x: float  # document centre − picture centre, in picture widths; right is positive
    center_offset_y: float
    tilt_deg: float  # angle between the camera's axis and the page's normal: perspective
    rotation_deg: float  # in the picture's plane, clockwise, 0..360; 0 is upright
